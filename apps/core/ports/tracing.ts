export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  set(attributes: Attributes): void;
  rename(name: string): void;
}

/** Tells a tracing system how long things take, and what they were part of. Attributes hold names and ids alone. */
export interface Tracer {
  /** Ends with the work; a failure is told by its code and thrown on. */
  span<T>(name: string, attributes: Attributes, run: (span: Span) => Promise<T>): Promise<T>;
}

const NO_SPAN: Span = { set: () => undefined, rename: () => undefined };

/** Where nobody traces. */
export const noTracer: Tracer = { span: (_name, _attributes, run) => run(NO_SPAN) };
