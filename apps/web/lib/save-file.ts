/** Starts a browser download, which streams to disk. */
export function clickLink(href: string, name: string): void {
  const link = document.body.appendChild(document.createElement('a'));
  link.href = href;
  link.download = name;
  // The browser ignores `download` across origins: a refusal would take the place of the page around an embedded element.
  if (isElsewhere(href)) Object.assign(link, { target: '_blank', rel: 'noopener' });
  link.hidden = true;
  link.click();
  link.remove();
}

/** Saves in-memory content as a file. */
export function saveFile(name: string, content: Blob): void {
  const href = URL.createObjectURL(content);
  clickLink(href, name);
  setTimeout(() => URL.revokeObjectURL(href)); // the download holds its own reference by then
}

function isElsewhere(href: string): boolean {
  return new URL(href, document.baseURI).origin !== location.origin;
}
