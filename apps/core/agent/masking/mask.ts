/** What stands for a secret. */
export const MASK = '[masked]';
