/** The row behind a session token: `id` is the token's `jti`. */
export interface WebSessionRow {
  readonly id: string;
  readonly user_id: number;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
  readonly ip_address: string;
  readonly user_agent: string;
}
