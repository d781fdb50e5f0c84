import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const directory = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What libraries take from the page's document, and what they get in a shadow root. */
const REPLACED: readonly (readonly [string, string])[] = [
  ['return node ? node.ownerDocument || node : document;', 'return documentOf(node);'],
  ['targets, root = document.body)', 'targets, root = documentOf(targets[0]).body)'],
  ['document.body.style.pointerEvents', 'ownerDocument.body.style.pointerEvents'],
  ['document.body.prepend(this.node)', 'documentOf(activeElement()).body.prepend(this.node)'],
  ['document.body.removeChild(this.node)', 'this.node.remove()'],
  [
    'if (!liveAnnouncer) {\n    liveAnnouncer = new',
    'if (!liveAnnouncer?.node?.isConnected) {\n    liveAnnouncer = new',
  ],
  ['document.activeElement', 'activeElement()'],
  // These would be attributes of a template, which a strict CSP refuses.
  ['style={{ "font-size": "16px" }}', ''],
  ['style="transform:scale(1.02)"', ''],
];

const IMPORTS = `import { documentOf } from ${JSON.stringify(directory('kobalte-document.ts'))};
import { activeElement } from ${JSON.stringify(directory('../../lib/root.ts'))};
`;

/** A module whose `document` is the one it was given. */
const GIVEN = /const document = props\.ownerDocument/;
const LEFT = /(?<!\w)document\.(body|activeElement|addEventListener|documentElement|getElementById)/;
/** The router marks the entry of the page's history as soon as it is loaded. */
const AT_IMPORT = /^if \(!isServer\) \{\s*saveCurrentDepth\(\);\s*\}/gm;
const NO_SCROLL_LOCK = 'virtual:no-scroll-lock';

/** Lets Kobalte work inside a shadow root, and leave the page around it alone. Fails when a library has changed. */
export function rooted(): Plugin {
  const missing = new Set<string | RegExp>([AT_IMPORT, ...REPLACED.map(([from]) => from)]);
  const replace = (code: string, from: string | RegExp, to: string) => {
    const replaced = code.replaceAll(from, to);
    if (replaced !== code) missing.delete(from);
    return replaced;
  };
  return {
    name: 'rooted',
    enforce: 'pre',
    resolveId: (id) => (id === 'solid-prevent-scroll' ? NO_SCROLL_LOCK : undefined),
    load: (id) => (id === NO_SCROLL_LOCK ? 'export default () => undefined;' : undefined),
    transform(code, id) {
      if (id.includes('/@solidjs/router/')) return { code: replace(code, AT_IMPORT, ''), map: null };
      if (!id.includes('/@kobalte/')) return undefined;
      const rewritten = REPLACED.reduce((text, [from, to]) => replace(text, from, to), code);
      const is_utils = id.includes('/@kobalte/utils/');
      if (is_utils ? !rewritten.includes('documentOf(node)') : LEFT.test(rewritten) && !GIVEN.test(rewritten))
        throw new Error(`${id} uses the page's document in a way that is not known`);
      return rewritten === code ? undefined : { code: IMPORTS + rewritten, map: null };
    },
    buildEnd(error) {
      if (!error && missing.size > 0) throw new Error(`No library has ${[...missing].join(' or ')} any more`);
    },
  };
}
