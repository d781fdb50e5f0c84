import type { Notices } from '#core/ports/notices.ts';

/** Nobody but this process uses the database, or nobody here listens. */
export const NO_NOTICES: Notices = { listen: () => ({ stop: async () => undefined }) };
