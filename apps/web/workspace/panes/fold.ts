import { onCleanup, onMount } from 'solid-js';

const GAP_PX = 6;

/**
 * Hides the elements of a row that are marked with `data-folds` and have no room, the last one first; the menu of the pane
 * has them too. `data-keeps` marks the element that takes the spare room, and says how many pixels of its text stay.
 */
export function createFolding(row: () => HTMLElement | undefined): void {
  onMount(() => {
    const element = row();
    if (!element) return;
    let frame = 0;
    const fold = () => foldTools(element);
    const foldSoon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(fold);
    };
    const sizes = new ResizeObserver(fold);
    const changes = new MutationObserver(foldSoon);
    sizes.observe(element);
    changes.observe(element, { childList: true, subtree: true, characterData: true });
    onCleanup(() => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      changes.disconnect();
    });
  });
}

function foldTools(row: HTMLElement): void {
  if (row.clientWidth === 0) return; // in a hidden tab
  const tools = [...row.querySelectorAll<HTMLElement>('[data-folds]')];
  for (const tool of tools) tool.hidden = false;
  const widths = tools.map((tool) => tool.offsetWidth + GAP_PX);
  for (const tool of tools) tool.hidden = true;
  let room = spareIn(row);
  for (const [at, tool] of tools.entries()) {
    room -= widths[at] ?? 0;
    if (room < 0) return;
    tool.hidden = false;
  }
}

function spareIn(row: HTMLElement): number {
  const flexible = row.querySelector<HTMLElement>('[data-keeps]');
  if (!flexible) return 0;
  const text = document.createRange();
  text.selectNodeContents(flexible); // the whole text, also where it is cut
  const kept = Math.min(Number(flexible.dataset['keeps']), text.getBoundingClientRect().width);
  return flexible.clientWidth - kept;
}
