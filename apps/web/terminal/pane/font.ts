import { ICONS, icons } from './icons.ts';

const BUNDLED = '"JetBrains Mono Variable"';
const OTHERS = 'ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace';
const FONT_WAIT_MS = 3000; // on a slow network show the fallback font rather than nothing

/** The fonts to draw with, best first. `own` is a font of this computer; empty for the bundled one. */
export function fontFamily(own: string): string {
  return [
    ...(own === '' ? [] : [JSON.stringify(own)]),
    BUNDLED,
    ...(icons.areLoaded() ? [JSON.stringify(ICONS)] : []),
    OTHERS,
  ].join(', ');
}

interface FontLook {
  readonly font_family: string;
  readonly font_size: number;
}

export async function fontReady({ font_family, font_size }: FontLook): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, FONT_WAIT_MS));
  const faces = ['400', '700'].map((weight) =>
    document.fonts.load(`${weight} ${font_size}px ${fontFamily(font_family)}`),
  );
  await Promise.race([Promise.allSettled(faces), late]);
}
