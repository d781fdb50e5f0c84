/** Starts a browser download, which streams to disk. */
export function clickLink(href: string, name: string): void {
  const link = document.body.appendChild(document.createElement('a'));
  link.href = href;
  link.download = name;
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
