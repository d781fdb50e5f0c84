/** Options of `mount`, published with `sallyport.d.ts`. */
export interface MountOptions {
  /** The gateway's address; by default where the module was loaded from. */
  readonly baseUrl?: string;
  readonly theme?: 'system' | 'light' | 'dark';
  readonly language?: string;
  /** Where to start, such as `/admin/overview`. */
  readonly path?: string;
  /** `dom` draws terminal text without WebGL. */
  readonly renderer?: 'auto' | 'dom';
}
