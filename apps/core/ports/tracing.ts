export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  set(attributes: Attributes): void;
  rename(name: string): void;
}

/** Reports spans to a tracing system. Attributes hold only names and ids. */
export interface Tracer {
  /** Ends with the work; a failure is recorded by its code and rethrown. */
  span<T>(name: string, attributes: Attributes, run: (span: Span) => Promise<T>): Promise<T>;
}

const NO_SPAN: Span = { set: () => undefined, rename: () => undefined };

/** Used when tracing is off. */
export const noTracer: Tracer = { span: (_name, _attributes, run) => run(NO_SPAN) };
