import type { QuickSecrets } from '#client/terminal/target.ts';

const kept = new Map<string, QuickSecrets>();

/** Kept in memory only, until the tab's socket has sent them. */
export function keepSecrets(tab_id: string, secrets: QuickSecrets): void {
  kept.set(tab_id, secrets);
}

/** Can be taken once; a reopened terminal prompts again. */
export function takeSecrets(tab_id: string): QuickSecrets {
  const secrets = kept.get(tab_id) ?? {};
  kept.delete(tab_id);
  return secrets;
}
