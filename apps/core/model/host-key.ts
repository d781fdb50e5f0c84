/** `unverified`: `SERVICE_VERIFY_HOST_KEYS` is off, so keys are neither checked nor pinned. */
export type HostKeyVerdict = 'trust' | 'pin' | 'unverified';
