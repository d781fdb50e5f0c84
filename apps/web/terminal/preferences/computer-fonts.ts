interface WithLocalFonts {
  /** The Local Font Access API, in some browsers on secure pages. */
  queryLocalFonts?(): Promise<readonly { readonly family: string }[]>;
}

const SAMPLE_PX = 72;
const GENERIC = ['monospace', 'serif', 'sans-serif'] as const;
const SAMPLE = 'mmmmmiiiiiWWWWW@@@@0123456789';
const WIDE = 'MMMMWWWW';
const NARROW = 'iiii....';

type FontFault = 'missing' | 'not_monospaced';

/** What is wrong with a font for a terminal, if anything. */
export function faultOf(family: string): FontFault | undefined {
  const widthOf = createRuler();
  const named = JSON.stringify(family);
  // A font that is missing is drawn with whichever comes next, so it has the widths of each of these.
  const exists = GENERIC.some((other) => widthOf(SAMPLE, `${named}, ${other}`) !== widthOf(SAMPLE, other));
  if (!exists) return 'missing';
  return widthOf(WIDE, named) === widthOf(NARROW, named) ? undefined : 'not_monospaced';
}

/** Whether the browser can list the fonts, if the user allows it. */
export function canListFonts(): boolean {
  return 'queryLocalFonts' in window;
}

/** Asks for permission, and throws or returns nothing if it is not given. */
export async function listMonospaced(): Promise<readonly string[]> {
  const fonts = (await (window as WithLocalFonts).queryLocalFonts?.()) ?? [];
  const families = [...new Set(fonts.map(({ family }) => family))];
  return families.filter((family) => faultOf(family) === undefined).sort();
}

function createRuler(): (text: string, font: string) => number {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  return (text, font) => {
    if (!context) return 0;
    context.font = `${SAMPLE_PX}px ${font}`;
    return context.measureText(text).width;
  };
}
