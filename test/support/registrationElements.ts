import type { DataSetInput } from '../../src/server/dicom/writeDicom.ts';

export type WrittenRegistration = {
  readonly uid: string;
  /** The frame of reference that the others are registered with. */
  readonly into: string;
  readonly items: readonly {
    readonly from: string;
    readonly matrices: readonly (readonly number[])[];
    readonly type?: string;
  }[];
};

/** A Spatial Registration: each matrix goes from the frame of reference of its item into that of the object. */
export function registrationElements({ uid, into, items }: WrittenRegistration): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.66.1',
    SOPInstanceUID: uid,
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: `${uid}.1`,
    SeriesDescription: `Registration ${uid}`,
    Modality: 'REG',
    FrameOfReferenceUID: into,
    RegistrationSequence: items.map(({ from, matrices, type = 'RIGID' }) => ({
      FrameOfReferenceUID: from,
      MatrixRegistrationSequence: [
        {
          MatrixSequence: matrices.map((matrix) => ({
            FrameOfReferenceTransformationMatrixType: type,
            FrameOfReferenceTransformationMatrix: matrix.map((value) => String(Number(value.toFixed(9)))),
          })),
        },
      ],
    })),
  };
}

/** Turned around z, then shifted. */
export function motion(degrees: number, [x, y, z]: readonly [number, number, number], scale = 1): number[] {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180) * scale, Math.sin((degrees * Math.PI) / 180) * scale];
  return [c, -s, 0, x, s, c, 0, y, 0, 0, scale, z, 0, 0, 0, 1];
}
