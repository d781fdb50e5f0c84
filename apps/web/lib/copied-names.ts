import { characterOf } from './hidden-characters.ts';
import { listen, type PagePlace } from './root.ts';

/** Copies the characters that chips stand for, so that a copied name is the real one. */
export function copyRealNames(place: PagePlace): () => void {
  return listen(place, ['copy'], (event) => {
    const selection = document.getSelection();
    if (!(event instanceof ClipboardEvent) || event.defaultPrevented || !selection?.rangeCount) return;
    const chips = selection.getRangeAt(0).cloneContents().querySelectorAll('.hidden-character');
    if (chips.length === 0) return;
    const spelled = [...chips].map(({ textContent }) => textContent ?? '');
    event.clipboardData?.setData('text/plain', withCharacters(selection.toString(), spelled));
    event.preventDefault();
  });
}

/** Replaces the spelled characters, given in their order, with the real ones. A chip that the selection cuts stays spelled. */
export function withCharacters(text: string, spelled: readonly string[]): string {
  let done = '';
  let rest = text;
  for (const chip of spelled) {
    const at = rest.indexOf(chip);
    if (at < 0 || !chip.endsWith('⟩')) continue;
    done += rest.slice(0, at) + characterOf(chip);
    rest = rest.slice(at + chip.length);
  }
  return done + rest;
}
