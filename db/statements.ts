import { channel } from 'node:diagnostics_channel';

/** Names the channel on which each statement is published before it runs, as its text. It costs nothing without a subscriber. */
export const STATEMENTS = 'sallyport:database-statement';

const statements = channel(STATEMENTS);

export function publishStatement(text: string): void {
  if (statements.hasSubscribers) statements.publish(text);
}
