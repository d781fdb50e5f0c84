/** What other instances may have changed. The database sends a notice of each; see `db/schema/notices.ts`. */
export const TOPICS = ['rights', 'settings', 'statuses', 'monitor', 'deliveries'] as const;

export type Topic = (typeof TOPICS)[number];

/** Notices that something in the database has changed. Anyone with access to the database can send one, so it only says where to look. */
export interface Notices {
  listen(ears: Ears): Listening;
}

export interface Ears {
  /** The text is not checked. */
  hear(text: string): void;
  /** Notices arrive from now on; some may have been missed before. */
  began(): void;
  /**
   * Notices may be missed from now on. `unsupported`: the database accepts the listener, but passes nothing on, as a pooler
   * does that shares connections between transactions.
   */
  ended(why: 'lost' | 'unsupported'): void;
}

export interface Listening {
  stop(): Promise<void>;
}
