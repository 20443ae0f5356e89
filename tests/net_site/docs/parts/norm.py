import math


def norm(vector):
    return math.sqrt(sum(value * value for value in vector))


print(norm([3, 4]))
