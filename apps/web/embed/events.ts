export interface EmbedError {
  /** A word for programs, such as `invalid_ticket`. */
  readonly code: string;
  readonly message: string;
}

/** The details of an element's events. */
export interface EmbedEvents {
  /** The shell, or the list of files, is there. */
  readonly ready: { readonly server_id: number; readonly server_name: string };
  /** The shell has ended by itself. */
  readonly exit: { readonly code: number | null; readonly signal: string | null };
  /** It could not be opened, or was ended from outside. */
  readonly error: EmbedError;
  /** The title that a program has set, or the directory. */
  readonly title: { readonly title: string };
}
