// All of palpate.
#ifndef PALPATE_PALPATE_H
#define PALPATE_PALPATE_H

#include <palpate/base.h>
#include <palpate/contact.h>
#include <palpate/device.h>
#include <palpate/geometry.h>
#include <palpate/impact.h>
#include <palpate/material.h>
#include <palpate/math.h>
#include <palpate/mesh.h>
#include <palpate/mesh_io.h>
#include <palpate/model.h>
#include <palpate/output.h>
#include <palpate/scene.h>
#include <palpate/sim.h>
#include <palpate/solver.h>
#include <palpate/steer.h>
#include <palpate/vademecum.h>
#include <palpate/vademecum_build.h>
#include <palpate/vademecum_io.h>
#include <palpate/vibration.h>

#endif
