function numbered(folder: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${folder}/${String(i + 1).padStart(3, '0')}.dcm`);
}

const CT = numbered('01-ct', 60);
const ON_CT = [
  '06-organs.seg.dcm',
  '09-structures.dcm',
  '10-plan.dcm',
  '11-dose.dcm',
  '12-report.dcm',
  '14-presentation.dcm',
  '15-key-images.dcm',
  '16-model-organs.nii.gz',
];
const MR = [...numbered('02-mr', 24), '03-diffusion.dcm', '07-probability.seg.dcm', '08-adc.dcm'];
const SLIDE = ['level-0', 'level-1', 'level-2', 'label', 'overview'].map((name) => `13-slide/${name}.dcm`);
const MAMMOGRAM = ['05-mammogram.dcm'];
const ULTRASOUND = ['04-ultrasound.dcm'];

/** The slice that is included in the package, so that it can be shown immediately while the others are generated. */
export const FIRST_FILE = '01-ct/001.dcm';

/**
 * All files in listing order, which is the same on every run. It is close to the order in which two threads write them,
 * so that few files wait for another.
 */
export const DEMO_FILES: readonly string[] = [...CT, ...SLIDE, ...MAMMOGRAM, ...ON_CT, ...ULTRASOUND, ...MR];
