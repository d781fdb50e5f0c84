import file from '@azurity/pure-nerd-font/PureNerdFont.woff2?url';

// Its lines and blocks would replace those of the terminal.
const RANGES = 'U+23FB-23FE, U+2B58, U+E000-F8FF, U+F0000-FFFFD';

/** Bytes, not an address: a page around an embedded terminal need not allow fonts of the gateway. */
export async function loadIconFont(family: string): Promise<void> {
  // biome-ignore lint/style/noRestrictedGlobals: an asset of the page, not the API
  const response = await fetch(file);
  if (!response.ok) throw new Error(`The icons cannot be loaded: ${response.status}`);
  const face = new FontFace(family, await response.arrayBuffer(), { unicodeRange: RANGES });
  document.fonts.add(await face.load());
}
