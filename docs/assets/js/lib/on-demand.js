/**
 * Elements that not every page has: their code is fetched with the first of them.
 *
 * @param {Record<string, () => Promise<CustomElementConstructor>>} loaders by tag name
 */
export function defineOnDemand(loaders) {
  const waiting = new Map(Object.entries(loaders));
  // The theme's navigation replaces a page's content without loading the page.
  const observer = new MutationObserver(look);

  function look() {
    for (const [tag, load] of waiting) {
      if (!document.querySelector(tag)) continue;
      waiting.delete(tag);
      load().then(
        (element) => customElements.get(tag) ?? customElements.define(tag, element),
        () => waiting.set(tag, load), // what the build wrote stays readable
      );
    }
    if (!waiting.size) observer.disconnect();
  }

  observer.observe(document.body, { childList: true, subtree: true });
  look();
}
