interface Pan {
  row_px(): number;
  scroll(rows: number): void;
}

/**
 * xterm 6.0 does not follow a finger (xtermjs/xterm.js#5489): a vertical pan scrolls by whole rows, once a terminal
 * that is larger than its element is at the end of it.
 */
export function scrollByTouch(element: HTMLElement, { row_px, scroll }: Pan): () => void {
  let last_y = 0;
  let rest_px = 0;

  const onStart = ({ touches }: TouchEvent) => {
    last_y = touches[0]?.clientY ?? 0;
    rest_px = 0;
  };
  const onMove = ({ touches }: TouchEvent) => {
    const [touch] = touches;
    if (!touch || touches.length > 1) return; // two fingers zoom
    rest_px += leftOf(last_y - touch.clientY, element);
    last_y = touch.clientY;
    const rows = Math.trunc(rest_px / row_px());
    if (rows === 0 || !Number.isFinite(rows)) return;
    rest_px -= rows * row_px();
    scroll(rows);
  };

  // Passive: the style sheet's `touch-action` keeps the browser from panning itself.
  element.addEventListener('touchstart', onStart, { passive: true });
  element.addEventListener('touchmove', onMove, { passive: true });
  return () => {
    element.removeEventListener('touchstart', onStart);
    element.removeEventListener('touchmove', onMove);
  };
}

/** Moves the element, as far as it can. */
function leftOf(px: number, element: HTMLElement): number {
  const before = element.scrollTop;
  element.scrollTop += px;
  return px - (element.scrollTop - before);
}
