/* A page may hold many widgets, and a reader sees one at a time: each wakes when he comes near. */

/** Call back once, as soon as an element is within a screen of what can be seen. */
export function whenNear(element, wake) {
  const watcher = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      wake();
    },
    { rootMargin: "100%" },
  );
  watcher.observe(element);
}
