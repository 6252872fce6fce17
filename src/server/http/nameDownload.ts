const MOST_CHARACTERS = 120;

/**
 * What a file is called where it is saved: letters, digits, dots, dashes and underscores of its own name, so that it can
 * end no header and leave no folder, and an ending by which no system takes it for anything but DICOM.
 */
export function nameDownload(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  const plain = name.replaceAll(/[^\w.-]+/g, '_').replace(/^[._-]+/, '');
  const [stem, ending] = /\.(dcm|dicom|dic|ima)$/i.test(plain)
    ? [plain.slice(0, plain.lastIndexOf('.')), plain.slice(plain.lastIndexOf('.'))]
    : [plain, '.dcm'];
  return `${stem.slice(0, MOST_CHARACTERS) || 'file'}${ending}`;
}
