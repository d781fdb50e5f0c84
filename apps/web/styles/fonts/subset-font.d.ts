declare module 'subset-font' {
  interface SubsetOptions {
    readonly targetFormat: 'woff2';
    /** OpenType features; without it, all. */
    readonly keepFeatures: readonly string[];
    readonly variationAxes: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
  }
  function subsetFont(font: Buffer, text: string, options: SubsetOptions): Promise<Buffer>;
  export = subsetFont;
}
