import { type Language, languageOf, loadTexts, type Texts } from '../i18n/languages.ts';
import { toError } from './errors.ts';
import type { EmbedEvents } from './events.ts';
import { drawFailure, loadError } from './failure.ts';
import { followPage } from './page-life.ts';
import { createElementSession, type ElementSession, type EmbedSession } from './session.ts';
import { gatewayUrl, sharedSheet } from './styles.ts';

export type TicketSource = () => Promise<string> | string;

/** What a view offers to its element. */
export interface ElementView {
  focus(): void;
  send?(text: string): void;
  fit(): void;
  dispose(): void;
}

/** What a view gets from its element. */
export interface ViewParts {
  readonly root: ShadowRoot;
  readonly place: HTMLElement;
  readonly session: ElementSession;
  readonly look: ElementLook;
  /** In the language at the start. */
  readonly texts: Texts;
  emit<K extends keyof EmbedEvents>(name: K, detail: EmbedEvents[K]): void;
}

export interface ElementLook {
  readonly server_id: number;
  readonly mode: 'rw' | 'ro';
  readonly theme: string;
  readonly font_size: number | undefined;
  readonly language: Language;
  /** The directory that an element of files shows; empty for the home directory. */
  readonly path: string;
}

/** The property of each attribute. */
const REFLECTED: Readonly<Record<string, string>> = {
  baseUrl: 'base-url',
  serverId: 'server-id',
  ticket: 'ticket',
  mode: 'mode',
  theme: 'theme',
  fontSize: 'font-size',
  language: 'language',
  path: 'path',
};

const RELOOKED: ReadonlySet<string> = new Set(['theme', 'font-size', 'language', 'mode', 'path']);

/** The base of the elements: attributes, session, life and end. */
export abstract class SallyportElement extends HTMLElement {
  static readonly observedAttributes: readonly string[] = Object.values(REFLECTED);

  declare baseUrl: string | undefined;
  declare serverId: string | number | undefined;
  declare ticket: string | undefined;
  declare mode: string | undefined;
  declare theme: string | undefined;
  declare fontSize: string | number | undefined;
  declare language: string | undefined;
  declare path: string | undefined;

  protected abstract readonly kind: EmbedSession['kind'];
  readonly #root = this.attachShadow({ mode: 'open' });
  #session: ElementSession | undefined;
  #view: Promise<ElementView> | undefined;
  #life = 0;
  #getTicket: TicketSource | undefined;
  #leavePage: (() => void) | undefined;

  protected abstract open(parts: ViewParts): Promise<ElementView>;

  constructor() {
    super();
    // Set before the module was loaded, they would hide the accessors.
    for (const name of ['getTicket', ...Object.keys(REFLECTED)]) {
      const value: unknown = Reflect.get(this, name);
      if (!Object.hasOwn(this, name)) continue;
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }

  /** Called for a ticket: first without the attribute `ticket`, and again when the session cannot be renewed. */
  get getTicket(): TicketSource | undefined {
    return this.#getTicket;
  }
  set getTicket(source: TicketSource | undefined) {
    this.#getTicket = source;
    queueMicrotask(() => this.#start());
  }

  connectedCallback(): void {
    // Properties may be set after the element was inserted.
    queueMicrotask(() => this.#start());
  }

  disconnectedCallback(): void {
    queueMicrotask(() => !this.isConnected && this.dispose()); // moving it within the page ends nothing
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now) return;
    if (RELOOKED.has(name)) this.dispatchEvent(new Event('sallyport-look'));
    else if (this.isConnected && now !== null && !this.#view) queueMicrotask(() => this.#start());
  }

  override focus(): void {
    this.withView((view) => view.focus());
  }

  protected withView(work: (view: ElementView) => void): void {
    void this.#view?.then(work, () => undefined); // what failed is shown in its place
  }

  /** Fits the content to the element, which otherwise happens by itself. */
  fit(): void {
    this.withView((view) => view.fit());
  }

  /** Ends the session and frees everything. Inserting the element again starts anew. */
  dispose(): void {
    this.#life += 1;
    this.#leavePage?.();
    this.withView((view) => view.dispose());
    this.#view = undefined;
    this.#session?.dispose();
    this.#session = undefined;
    this.#root.replaceChildren();
    this.#root.adoptedStyleSheets = [];
  }

  #start(): void {
    if (this.#view || !this.isConnected || !this.serverId) return;
    if (this.ticket === undefined && !this.getTicket) return;
    if (serverOf(this) === 0) {
      this.#emit('error', toError('server-id is not the number of a server'));
      return;
    }
    this.#life += 1;
    const life = this.#life;
    const { baseUrl: base_url = gatewayUrl(), ticket, kind } = this;
    const getTicket = this.getTicket && (() => this.getTicket?.() ?? '');
    const session = createElementSession({
      ...{ base_url, ticket, getTicket, kind },
      server_id: () => serverOf(this),
    });
    this.#session = session;
    this.#leavePage = followPage({ left: () => this.dispose(), shown_again: session.verify });
    this.#root.adoptedStyleSheets = [sharedSheet()];
    const place = document.createElement('div');
    place.className = 'sallyport';
    this.#root.replaceChildren(place);
    const look = lookOf(this);
    const parts = {
      root: this.#root,
      place,
      session,
      look,
      emit: <K extends keyof EmbedEvents>(name: K, detail: EmbedEvents[K]) => {
        if (life === this.#life) this.#emit(name, detail);
      },
    };
    this.#view = loadTexts(look.language)
      .then((texts) => this.open({ ...parts, texts }))
      .then((view) => {
        if (life !== this.#life) view.dispose();
        return view;
      });
    this.#view.catch((error: unknown) => life === this.#life && this.#fail(error));
  }

  /** A part of the module could not be loaded. */
  #fail(error: unknown): void {
    this.dispose();
    this.#root.adoptedStyleSheets = [sharedSheet()];
    const { language } = lookOf(this);
    const told = loadError(error, language);
    this.#root.append(drawFailure(told.message, language, () => this.#start()));
    this.#emit('error', told);
  }

  #emit<K extends keyof EmbedEvents>(name: K, detail: EmbedEvents[K]): void {
    this.dispatchEvent(new CustomEvent(name, { detail, composed: true }));
  }
}

for (const [property, attribute] of Object.entries(REFLECTED)) {
  Object.defineProperty(SallyportElement.prototype, property, {
    configurable: true,
    enumerable: true,
    get(this: HTMLElement) {
      return this.getAttribute(attribute) ?? undefined;
    },
    set(this: HTMLElement, value: unknown) {
      if (value === undefined || value === null) this.removeAttribute(attribute);
      else this.setAttribute(attribute, String(value));
    },
  });
}

/** 0 when there is none. */
function serverOf(element: HTMLElement): number {
  const text = element.getAttribute('server-id') ?? '';
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
}

/** Read again when an attribute changes. */
function lookOf(element: HTMLElement): ElementLook {
  const read = (name: string) => element.getAttribute(name) ?? undefined;
  return {
    get server_id() {
      return serverOf(element);
    },
    get mode() {
      return read('mode') === 'ro' ? 'ro' : 'rw';
    },
    get theme() {
      return read('theme') ?? 'system';
    },
    get font_size() {
      const size = Number(read('font-size'));
      return size >= 6 && size <= 60 ? size : undefined;
    },
    get language() {
      return languageOf([read('language'), ...navigator.languages]);
    },
    get path() {
      return read('path') ?? '';
    },
  };
}
