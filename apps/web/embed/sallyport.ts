import { storeNothing } from '../lib/storage.ts';
import { type ElementView, SallyportElement, type ViewParts } from './element.ts';
import { mountInterface } from './mount.ts';
import type { MountOptions } from './mount-options.ts';
import { setUp } from './styles.ts';

/** `<sallyport-terminal>`: a shell on one server. */
export class SallyportTerminal extends SallyportElement {
  protected readonly kind = 'terminal';

  protected async open(parts: ViewParts): Promise<ElementView> {
    return (await import('./terminal/terminal.tsx')).openTerminalView(parts);
  }

  /** Types the text. */
  send(text: string): void {
    this.withView((view) => view.send?.(text));
  }
}

/** `<sallyport-files>`: the files of one server. */
export class SallyportFiles extends SallyportElement {
  protected readonly kind = 'files';

  protected async open(parts: ViewParts): Promise<ElementView> {
    return (await import('./files/files.tsx')).openFilesView(parts);
  }
}

/** Replaced by the build with the text of every style sheet of the module. */
const CSS = '__SALLYPORT_EMBED_CSS__';

function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element);
}

setUp(CSS, new URL(/* @vite-ignore */ '..', import.meta.url).href);
storeNothing();
define('sallyport-terminal', SallyportTerminal);
define('sallyport-files', SallyportFiles);

/** Shows the whole interface in an element; returns a function that signs out and frees everything. */
export function mount(element: HTMLElement, options?: MountOptions): () => void {
  return mountInterface(element, options);
}
