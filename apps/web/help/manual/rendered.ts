export interface Heading {
  readonly depth: number;
  /** The fragment of its address. */
  readonly id: string;
  readonly text: string;
}

export interface PageHeadings {
  readonly file: string;
  readonly title: string;
  /** Without the title of the page. */
  readonly headings: readonly Heading[];
}

/** What the search finds: the text below one heading. */
export interface Section {
  /** File and fragment. */
  readonly path: string;
  readonly page: string;
  /** The title of the page for the text above its first heading. */
  readonly heading: string;
  readonly text: string;
}

export interface Changes {
  readonly title: string;
  readonly html: string;
}

export interface About {
  readonly version: string;
  /** The same for two gateways only if they were built from the same files. */
  readonly build: string;
  readonly license: string;
  /** Newest first. */
  readonly changes: readonly Changes[];
}
