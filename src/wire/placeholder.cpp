namespace muster {
extern const char placeholder_wire = 0;
}
