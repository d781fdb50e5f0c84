import { setRowDocument } from '#client/terminal/internals/xterm-rows.mjs';

/**
 * A document for xterm in a page whose CSP forbids inline styles: its style elements become constructed style sheets of
 * the shadow root, and style attributes are written as the CSP allows.
 */
export function strictDocument(root: ShadowRoot): Document {
  return new Proxy(document, {
    get(target, name) {
      if (name === 'createElement') return (tag: string) => createStrict(root, tag);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Runs synchronous work during which `document.createElement` itself is strict: xterm's viewport uses the page's document. */
export function withStrictDocument<T>(root: ShadowRoot, work: () => T): T {
  const before = Object.getOwnPropertyDescriptor(document, 'createElement');
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    value: (tag: string) => createStrict(root, tag),
  });
  try {
    return work();
  } finally {
    if (before) Object.defineProperty(document, 'createElement', before);
    else Reflect.deleteProperty(document, 'createElement');
  }
}

/** xterm's DOM renderer colors cells through a document of its own choice. Its WebGL renderer needs none of this. */
export function useStrictRows(terminal: object, root: ShadowRoot): void {
  setRowDocument(terminal, strictDocument(root));
}

function createStrict(root: ShadowRoot, tag: string): HTMLElement {
  if (tag === 'style') return createStyle(root);
  const element = Document.prototype.createElement.call(document, tag);
  if (tag === 'span') withStyleAttribute(element);
  return element;
}

/** A row of the terminal colors its cells through the attribute. */
function withStyleAttribute(element: HTMLElement): void {
  element.setAttribute = (name: string, value: string) => {
    if (name === 'style') element.style.cssText = value;
    else Element.prototype.setAttribute.call(element, name, value);
  };
}

function createStyle(root: ShadowRoot): HTMLElement {
  const sheet = new CSSStyleSheet();
  const stand_in = Document.prototype.createElement.call(document, 'span');
  stand_in.hidden = true;
  let text = '';
  Object.defineProperty(stand_in, 'textContent', {
    get: () => text,
    set(value: string) {
      text = value;
      sheet.replaceSync(value);
    },
  });
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  stand_in.remove = () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(stand_in);
  };
  return stand_in;
}
