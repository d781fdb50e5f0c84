import mono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url';

const FONT = 'JetBrains Mono Variable';

const sheet = new CSSStyleSheet();
let font: Promise<unknown> | undefined;

let gateway_url = '';

/** From the entry of the module, whose address says where the gateway is. */
export function setUp(css: string, base_url: string): void {
  sheet.replaceSync(css);
  gateway_url = base_url;
}

export function gatewayUrl(): string {
  return gateway_url;
}

/** One sheet for all elements of a page. A constructed sheet needs no permission of the page's CSP. */
export function sharedSheet(): CSSStyleSheet {
  return sheet;
}

/** A shadow root cannot declare fonts. Bytes, not an address, so that the page's CSP need not allow fonts of the gateway. */
export function loadFont(): Promise<unknown> {
  font ??= fetch(mono)
    .then((response) => response.arrayBuffer())
    .then((bytes) => new FontFace(FONT, bytes, { weight: '100 800' }).load())
    .then((face) => document.fonts.add(face))
    .catch(() => undefined); // the fallback font
  return font;
}
