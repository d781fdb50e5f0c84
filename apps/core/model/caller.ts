/** Who is calling, fresh from the database at every request. */
export interface Caller {
  readonly user_id: number;
  readonly username: string;
  readonly is_admin: boolean;
  readonly allowed_groups: readonly string[];
  readonly must_change_password: boolean;
  readonly pending_2fa: boolean;
  /** `jti` of the web session behind the call. */
  readonly session_id: string;
  readonly ip_address: string;
}
