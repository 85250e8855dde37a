// The theme makes a landmark without a name of each block's buttons; they are no landmark.
const unmark = () => {
  for (const buttons of document.querySelectorAll("nav.md-code__nav:not([role])")) buttons.setAttribute("role", "none");
};
unmark();
new MutationObserver(unmark).observe(document.body, {childList: true, subtree: true});
