// A moved page's way on: unlike a refresh tag, it keeps the fragment.
const target = document.querySelector("link[rel=canonical]").href;
location.replace(target + location.hash);
