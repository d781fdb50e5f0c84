/** Takes away the outline of the workspace that index.html shows until the page's own parts are there. */
export function endStaticFrame(): void {
  document.querySelector('#frame')?.remove();
  delete document.documentElement.dataset['frame'];
}
