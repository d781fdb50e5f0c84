import { activeElement } from './root.ts';

/** Falls back to `execCommand`: the clipboard API exists on secure pages only. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const focused = activeElement();
  const area = document.body.appendChild(document.createElement('textarea'));
  area.className = 'visually-hidden';
  area.value = text;
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}

/** A trailing line break alone does not count. */
export function isMultiline(text: string): boolean {
  return /[\r\n]/.test(text.replace(/\r?\n$/, ''));
}

/** Copies formatted text, with plain text for programs that take nothing else. Resolves to false if the browser refuses. */
export async function copyFormatted(html: Promise<string>, text: string): Promise<boolean> {
  try {
    const toBlob = async () => new Blob([await html], { type: 'text/html' });
    const plain = new Blob([text], { type: 'text/plain' });
    // Pass the promise on: waiting for it first would use up the user's click in some browsers.
    await navigator.clipboard.write([new ClipboardItem({ 'text/html': toBlob(), 'text/plain': plain })]);
    return true;
  } catch {
    return copyByEvent(await html, text);
  }
}

function copyByEvent(html: string, text: string): boolean {
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/html', html);
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener('copy', onCopy, true);
  const done = document.execCommand('copy');
  document.removeEventListener('copy', onCopy, true);
  return done;
}
