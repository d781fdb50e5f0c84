import { activeElement } from '../../lib/root.ts';

const documents = new WeakMap<ShadowRoot, Document>();
const roots = new WeakMap<Node, ShadowRoot>();

/** Clicks elsewhere in the page around the element close what it has open. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['pointerdown', 'click']);

/** For Kobalte, which the build sends here: what stands for the document of a node in a shadow root. */
export function documentOf(node: Node | null | undefined): Document {
  const root = node ? rootOf(node) : undefined;
  if (!root) return node?.ownerDocument ?? document;
  const known = documents.get(root) ?? createDocument(root);
  documents.set(root, known);
  return known;
}

/** A node that has been removed still finds the listeners it has set. */
function rootOf(node: Node): ShadowRoot | undefined {
  const root = node.getRootNode();
  if (root instanceof ShadowRoot) roots.set(node, root);
  return roots.get(node);
}

function createDocument(root: ShadowRoot): Document {
  const own: Partial<Record<PropertyKey, unknown>> = {
    ...createListening(root),
    contains: (node: Node) => root.contains(node) || document.contains(node),
    getElementById: (id: string) => root.getElementById(id),
  };
  return new Proxy(document, {
    get(target, name) {
      if (name === 'activeElement') return activeElement();
      if (name === 'body') return root.querySelector('.sallyport') ?? target.body;
      if (name in own) return own[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

type Listener = (event: Event) => void;

function createListening(root: ShadowRoot) {
  const kept = new Map<string, Map<Listener, Listener>>();
  const keyOf = (type: string, options: unknown) => `${type} ${isCapturing(options)}`;
  return {
    addEventListener(type: string, listener: Listener, options?: AddEventListenerOptions | boolean): void {
      const key = keyOf(type, options);
      const ours = kept.get(key) ?? new Map<Listener, Listener>();
      if (ours.has(listener)) return;
      const remove = () => this.removeEventListener(type, listener, options);
      const is_once = typeof options === 'object' && options.once === true;
      const hear = (event: Event) => {
        const is_inside = event.composedPath().includes(root);
        if (event.currentTarget === root ? isLeaving(event, root) : is_inside) return;
        if (is_once) remove();
        listener(event);
      };
      kept.set(key, ours.set(listener, hear));
      root.addEventListener(type, hear, isCapturing(options));
      if (FROM_OUTSIDE.has(type)) document.addEventListener(type, hear, isCapturing(options));
    },
    removeEventListener(type: string, listener: Listener, options?: EventListenerOptions | boolean): void {
      const key = keyOf(type, options);
      const hear = kept.get(key)?.get(listener);
      if (!hear) return;
      kept.get(key)?.delete(listener);
      root.removeEventListener(type, hear, isCapturing(options));
      document.removeEventListener(type, hear, isCapturing(options));
    },
  };
}

/** A dialog keeps the focus from the rest of the element, but not from the page around it. */
function isLeaving(event: Event, root: ShadowRoot): boolean {
  if (event.type !== 'focusout' || !(event instanceof FocusEvent)) return false;
  return event.relatedTarget instanceof Node && !root.contains(event.relatedTarget);
}

function isCapturing(options: unknown): boolean {
  if (typeof options === 'object' && options !== null) return Reflect.get(options, 'capture') === true;
  return options === true;
}
