import type { Locator } from 'playwright-core';

/** Frames a second while a list scrolls, of the frames in which its middle shows a row. */
export function framesASecond(rows: Locator, px_per_frame: number): Promise<number> {
  return rows.evaluate(async (grid, px) => {
    const SPAN_MS = 3000;
    const around = (element: Element | null): Element | null =>
      element && element.scrollHeight > element.clientHeight + 1000
        ? element
        : around(element?.parentElement ?? null);
    const inside = [...grid.querySelectorAll('*')].find(({ scrollHeight }) => scrollHeight > 100_000);
    const list = around(inside ?? grid);
    if (!list) throw new Error('Nothing scrolls');
    const { left, top, width, height } = list.getBoundingClientRect();
    const isDrawn = () =>
      document.elementFromPoint(left + width / 3, top + height / 2)?.closest('[role=row], tr[data-index]') !==
      null;
    const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
    list.scrollTop = 0;
    const began_ms = await nextFrame();
    let now_ms = began_ms;
    let frames = 0;
    while (now_ms - began_ms < SPAN_MS) {
      list.scrollTop += px;
      now_ms = await nextFrame();
      if (isDrawn()) frames += 1;
    }
    return (frames * 1000) / (now_ms - began_ms);
  }, px_per_frame);
}
