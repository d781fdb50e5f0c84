/** Types of `/embed/sallyport.js`. */

export interface EmbedError {
  /** A word for programs, such as `invalid_ticket`. */
  readonly code: string;
  readonly message: string;
}

export interface SallyportEvents {
  /** The shell, or the list of files, is there. */
  readonly ready: CustomEvent<{ readonly server_id: number; readonly server_name: string }>;
  /** The shell has ended by itself. */
  readonly exit: CustomEvent<{ readonly code: number | null; readonly signal: string | null }>;
  /** It could not be opened, or was ended from outside. */
  readonly error: CustomEvent<EmbedError>;
  /** The title that a program has set, or the directory. */
  readonly title: CustomEvent<{ readonly title: string }>;
}

export class SallyportElement extends HTMLElement {
  /** The gateway's address; by default where the module was loaded from. */
  baseUrl: string | undefined;
  serverId: string | number | undefined;
  /** From `POST /api/auth/embed-ticket`; works once. */
  ticket: string | undefined;
  /** Called for a ticket: first without `ticket`, and again when the session cannot be renewed. */
  getTicket: (() => Promise<string> | string) | undefined;
  /** `ro` sends no input and changes nothing, whatever the ticket allows. */
  mode: 'rw' | 'ro' | undefined;
  theme: 'system' | 'light' | 'dark' | undefined;
  fontSize: string | number | undefined;
  language: string | undefined;
  focus(): void;
  /** Fits the content to the element, which otherwise happens by itself. */
  fit(): void;
  /** Ends the session and frees everything. Inserting the element again starts anew. */
  dispose(): void;
  addEventListener<K extends keyof SallyportEvents>(
    type: K,
    listener: (event: SallyportEvents[K]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

/** `<sallyport-terminal>` */
export class SallyportTerminal extends SallyportElement {
  /** Types the text. */
  send(text: string): void;
}

/** `<sallyport-files>` */
export class SallyportFiles extends SallyportElement {
  /** The directory to show; by default the home directory. */
  path: string | undefined;
}

// The build adds `MountOptions` from mount-options.ts.
/** Shows the whole interface in an element; returns a function that signs out and frees everything. */
export function mount(element: HTMLElement, options?: MountOptions): () => void;

declare global {
  interface HTMLElementTagNameMap {
    'sallyport-files': SallyportFiles;
    'sallyport-terminal': SallyportTerminal;
  }
}
