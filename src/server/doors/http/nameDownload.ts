const MOST_CHARACTERS = 120;

/**
 * The file name for a download. It keeps only letters, digits, dots, dashes and underscores of the original name, so
 * that it cannot break out of the header or name another folder, and it ends in an extension that systems only
 * associate with DICOM, or in `extension`.
 */
export function nameDownload(path: string, extension?: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  const plain = name.replaceAll(/[^\w.-]+/g, '_').replace(/^[._-]+/, '');
  const [stem, ending] = /\.(dcm|dicom|dic|ima)$/i.test(plain)
    ? [plain.slice(0, plain.lastIndexOf('.')), plain.slice(plain.lastIndexOf('.'))]
    : [plain, '.dcm'];
  return `${stem.slice(0, MOST_CHARACTERS) || 'file'}${extension ?? ending}`;
}
