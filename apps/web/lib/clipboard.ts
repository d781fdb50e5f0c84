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
