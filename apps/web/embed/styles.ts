import mono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url';

const FONT = 'JetBrains Mono Variable';

const sheet = new CSSStyleSheet();

interface PageFont {
  readonly loaded: Promise<unknown>;
  remove(): void;
}

let font: PageFont | undefined;

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

let users = 0;

/**
 * A shadow root cannot declare fonts, so the page has it while an element uses it; returns a function that ends the use.
 * Bytes, not an address, so that the page's CSP need not allow fonts of the gateway.
 */
export function useFont(): { readonly loaded: Promise<unknown>; release(): void } {
  users += 1;
  font ??= addFont();
  const { loaded } = font;
  let is_used = true;
  return {
    loaded,
    release() {
      if (!is_used) return;
      is_used = false;
      users -= 1;
      if (users > 0) return;
      font?.remove();
      font = undefined;
    },
  };
}

function addFont(): PageFont {
  const gone = new AbortController();
  let added: FontFace | undefined;
  async function load(): Promise<void> {
    // biome-ignore lint/style/noRestrictedGlobals: an asset of the module, not the API
    const bytes = await (await fetch(mono, { signal: gone.signal })).arrayBuffer();
    const face = await new FontFace(FONT, bytes, { weight: '100 800' }).load();
    if (gone.signal.aborted) return;
    added = face;
    document.fonts.add(face);
  }
  return {
    loaded: load().catch(() => undefined), // the fallback font
    remove() {
      gone.abort();
      if (added) document.fonts.delete(added);
    },
  };
}
