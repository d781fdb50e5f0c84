import { createPlace } from '../lib/storage.ts';

/** The session token, in `sessionStorage` only. */
export const keptToken = () => createPlace('session', 'token');
