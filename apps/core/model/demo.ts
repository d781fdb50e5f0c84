/** Who anybody may sign in as while demo mode is on. */
export const DEMO_CREDENTIALS = { username: 'demo', password: 'demo' } as const;
