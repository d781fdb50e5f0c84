interface Pan {
  row_px(): number;
  scroll(rows: number): void;
}

/**
 * xterm 6.0 has no touch scrolling (xtermjs/xterm.js#5489). A vertical pan first scrolls a terminal that is larger than
 * its element, then the scrollback by whole rows.
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
    if (!touch || touches.length > 1) return; // two fingers pinch to zoom
    rest_px += leftOf(last_y - touch.clientY, element);
    last_y = touch.clientY;
    const rows = Math.trunc(rest_px / row_px());
    if (rows === 0 || !Number.isFinite(rows)) return;
    rest_px -= rows * row_px();
    scroll(rows);
  };

  // Passive: `touch-action` in the style sheet already prevents the browser from panning.
  element.addEventListener('touchstart', onStart, { passive: true });
  element.addEventListener('touchmove', onMove, { passive: true });
  return () => {
    element.removeEventListener('touchstart', onStart);
    element.removeEventListener('touchmove', onMove);
  };
}

/** Scrolls the element as far as possible. */
function leftOf(px: number, element: HTMLElement): number {
  const before = element.scrollTop;
  element.scrollTop += px;
  return px - (element.scrollTop - before);
}
