# Records standardized uptake values of real PET images, with pydicom.
#
#   python3 makeSuv.py CORPUS > suv.json
#
# CORPUS is the folder of real files. Nothing of negato is used. SUV by body weight is activity (Bq/ml) times weight (g)
# divided by the injected dose (Bq) that is left at the time to which the images are decay corrected (START: Series Time).
# Of every image the output has the factor, and the highest uptake value, from stored values by its own rescale.
import datetime
import glob
import json
import os
import sys

import pydicom

CORPUS = sys.argv[1]


def seconds(text):
    time = pydicom.valuerep.TM(text)
    return datetime.timedelta(hours=time.hour, minutes=time.minute, seconds=time.second + time.microsecond / 1e6).total_seconds()


records = []
for path in sorted(glob.glob(os.path.join(CORPUS, 'seg/pet-tumor/source/*.dcm'))):
    data = pydicom.dcmread(path)
    assert data.Units == 'BQML' and data.DecayCorrection == 'START' and data.SeriesDate == data.AcquisitionDate
    dose = data.RadiopharmaceuticalInformationSequence[0]
    waited = seconds(data.SeriesTime) - seconds(dose.RadiopharmaceuticalStartTime)
    left = float(dose.RadionuclideTotalDose) * 2 ** (-waited / float(dose.RadionuclideHalfLife))
    factor = float(data.PatientWeight) * 1000 / left
    highest = float(data.pixel_array.max()) * float(data.RescaleSlope) + float(data.RescaleIntercept)
    records.append({'path': os.path.relpath(path, CORPUS), 'factor': factor, 'highest': highest * factor})
print('[\n' + ',\n'.join('  ' + json.dumps(each) for each in records) + '\n]')
