/** The public account of demo mode. */
export const DEMO_CREDENTIALS = { username: 'demo', password: 'demo' } as const;
