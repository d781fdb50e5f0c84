/** The browser's own download: streamed to disk, shown in its list. */
export function clickLink(href: string, name: string): void {
  const link = document.body.appendChild(document.createElement('a'));
  link.href = href;
  link.download = name;
  link.hidden = true;
  link.click();
  link.remove();
}

/** What the page itself holds, as a file. */
export function saveFile(name: string, content: Blob): void {
  const href = URL.createObjectURL(content);
  clickLink(href, name);
  setTimeout(() => URL.revokeObjectURL(href)); // the download has its own hold on it by then
}
