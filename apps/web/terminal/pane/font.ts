export const FONT = '"JetBrains Mono Variable", ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace';
const FONT_WAIT_MS = 3000; // on a slow network show the fallback font rather than nothing

export async function fontReady(size: number): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, FONT_WAIT_MS));
  const faces = ['400', '700'].map((weight) => document.fonts.load(`${weight} ${size}px ${FONT}`));
  await Promise.race([Promise.allSettled(faces), late]);
}
