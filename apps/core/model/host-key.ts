/** `unverified`: nothing is checked nor pinned while `SERVICE_VERIFY_HOST_KEYS` is off. */
export type HostKeyVerdict = 'trust' | 'pin' | 'unverified';
