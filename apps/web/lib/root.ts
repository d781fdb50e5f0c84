/** Where the page lives: in a document, or in the shadow root of an embedded element. */
export interface PagePlace {
  /** Has the page's elements and gets their events unchanged. */
  readonly root: Document | ShadowRoot;
  /** Carries the tokens of the theme. */
  readonly themed: HTMLElement;
  /** Properties of a portal: where dialogs and menus open. */
  readonly portal: { readonly mount?: HTMLElement };
  /** In a page of another site, whose title, address, icon and leaving stay as they are. */
  readonly is_guest?: boolean;
  /** Whether it may move the focus by itself; absent: always. */
  mayFocus?(): boolean;
}

export function documentPlace(): PagePlace {
  return { root: document, themed: document.documentElement, portal: {} };
}

export function rootOf(node: Node): Document | ShadowRoot {
  const root = node.getRootNode();
  return root instanceof ShadowRoot ? root : document;
}

/** The focused element, also inside a shadow root, for which the document names its host. */
export function activeElement(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

/** Listens for events in the page, including those that do not leave a shadow root. */
export function listen(
  { root }: PagePlace,
  types: readonly string[],
  listener: (event: Event) => void,
): () => void {
  for (const type of types) root.addEventListener(type, listener);
  return () => {
    for (const type of types) root.removeEventListener(type, listener);
  };
}

/** Hears the keys typed anywhere in the page, before its parts do. */
export function listenKeys({ root }: PagePlace, listener: (event: KeyboardEvent) => void): () => void {
  const hear = (event: Event) => event instanceof KeyboardEvent && listener(event);
  root.addEventListener('keydown', hear, true);
  return () => root.removeEventListener('keydown', hear, true);
}
