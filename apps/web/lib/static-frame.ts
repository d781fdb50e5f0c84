/** Removes the outline of the workspace that index.html shows until the page's own parts are loaded. */
export function endStaticFrame(): void {
  document.querySelector('#frame')?.remove();
  delete document.documentElement.dataset['frame'];
}
