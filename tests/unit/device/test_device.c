// Devices: what packets and files say, and what hostile ones cannot do.
#include "check.h"
#include "math/vec3.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <palpate/device.h>
#include <sys/socket.h>
#include <unistd.h>

static PalDeviceState some_state(void)
{
    return (PalDeviceState){.pose = {{1, -2, 3.5}, {0.6, 0, 0.8, 0}},
                            .velocity = {0.1, 0.2, 0.3},
                            .spin = {4, 5, 6},
                            .buttons = 5};
}

static void test_packets_come_back(void **state)
{
    (void)state;
    unsigned char bytes[PAL_PACKET_POSE], force_bytes[PAL_PACKET_FORCE];
    PalDeviceState sent = some_state(), got = {0};
    uint32_t sequence = 0;
    pal_packet_write_pose(bytes, 77, &sent);
    assert_true(pal_packet_read_pose(bytes, sizeof bytes, &sequence, &got));
    assert_int_equal(sequence, 77);
    assert_true(got.pose.position.z == 3.5 && got.spin.z == 6 && got.buttons == 5);
    PalHapticForce force = {.force = {1, 2, 3}, .torque = {4, 5, 6}, .contacts = 9, .energy = -1};
    PalHapticForce back = {0};
    pal_packet_write_force(force_bytes, 3, &force);
    assert_true(pal_packet_read_force(force_bytes, sizeof force_bytes, &sequence, &back));
    assert_true(back.force.z == 3 && back.torque.x == 4 && back.contacts == 9 && back.energy == -1);
    assert_false(pal_packet_read_force(bytes, sizeof bytes, &sequence, &back));
}

static void test_wrong_packets_change_nothing(void **state)
{
    (void)state;
    unsigned char bytes[PAL_PACKET_POSE + 1];
    PalDeviceState sent = some_state(), got = {0};
    uint32_t sequence = 0;
    pal_packet_write_pose(bytes, 1, &sent);
    assert_false(pal_packet_read_pose(bytes, PAL_PACKET_POSE - 1, &sequence, &got));
    assert_false(pal_packet_read_pose(bytes, PAL_PACKET_POSE + 1, &sequence, &got));
    for (int i = 0; i < 8; ++i) {
        bytes[i] ^= 0x40;
        assert_false(pal_packet_read_pose(bytes, PAL_PACKET_POSE, &sequence, &got));
        bytes[i] ^= 0x40;
    }
    const double bad[] = {NAN, INFINITY, 1e300};
    for (int i = 0; i < 3; ++i) {
        sent = some_state();
        sent.velocity.y = bad[i];
        pal_packet_write_pose(bytes, 1, &sent);
        assert_false(pal_packet_read_pose(bytes, PAL_PACKET_POSE, &sequence, &got));
    }
    sent = some_state();
    sent.pose.rotation.w = 0;
    pal_packet_write_pose(bytes, 1, &sent);
    assert_false(pal_packet_read_pose(bytes, PAL_PACKET_POSE, &sequence, &got));
    assert_true(got.pose.position.z == 0 && sequence == 0);
}

static void test_network(void **state)
{
    (void)state;
    PalDevice *device;
    PalError error = {0};
    check_ok(pal_device_open(PAL_DEVICE_NETWORK, "0", &device, &error), &error);
    int hand = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)pal_device_port(device)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    unsigned char bytes[PAL_PACKET_POSE], answer[PAL_PACKET_FORCE];
    PalDeviceState sent = some_state();
    PalHapticForce force = {.force = {0, 0, 2}};
    assert_false(pal_device_write(device, &force));  // nobody has asked
    for (uint32_t i = 5; i > 2; --i) {               // older ones come late and do not count
        sent.pose.position.x = i;
        pal_packet_write_pose(bytes, i, &sent);
        sendto(hand, bytes, sizeof bytes, 0, (struct sockaddr *)&to, sizeof to);
        sendto(hand, "rubbish", 7, 0, (struct sockaddr *)&to, sizeof to);
    }
    PalDeviceState got = pal_device_read(device, 0);
    assert_true(got.fresh && got.pose.position.x == 5);
    assert_false(pal_device_read(device, 0).fresh);
    assert_true(pal_device_write(device, &force));
    assert_int_equal(recv(hand, answer, sizeof answer, 0), PAL_PACKET_FORCE);
    uint32_t sequence;
    PalHapticForce felt;
    assert_true(pal_packet_read_force(answer, sizeof answer, &sequence, &felt));
    assert_true(felt.force.z == 2);
    close(hand);
    pal_device_close(device);
    assert_int_equal(pal_device_open(PAL_DEVICE_NETWORK, "70000", &device, &error), PAL_BAD_INPUT);
}

static void write_bytes(const char *text, size_t size)
{
    FILE *file = fopen("poses.csv", "w");
    fwrite(text, 1, size, file);
    fclose(file);
}

static void write_file(const char *text)
{
    write_bytes(text, strlen(text));
}

static void test_paths(void **state)
{
    (void)state;
    PalDevice *device;
    PalError error = {0};
    write_file("# a path\ntime,x,y,z,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n\n2,4,0,0,0,0,0,1\n");
    check_ok(pal_device_open(PAL_DEVICE_PATH, "poses.csv", &device, &error), &error);
    PalDeviceState half = pal_device_read(device, 1);
    check_near(half.pose.position.x, 2, 1e-12);
    check_near(half.pose.rotation.z, sqrt(0.5), 1e-12);
    check_near(half.velocity.x, 2, 1e-6);
    assert_false(half.ended);
    assert_true(pal_device_read(device, 3).ended);
    pal_device_close(device);
    const struct {
        const char *text, *says;
    } wrong[] = {
        {"x,y\n1,2\n3\n", "poses.csv:3:2: expected a comma"},
        {"1,2,3\n1,b,3\n", "poses.csv:2:3: expected a number"},
        {"1,2\n", "poses.csv:1:1: expected 3 (x, y, z)"},
        {"time,x,y,w\n", "poses.csv:1:10: not the name of a column"},
        {"0,1,2,3\n0,1,2,3\n", "poses.csv:2:1: times have to ascend"},
        {"x,y,x\n1,2,3\n", "poses.csv:1:5: this column is named twice"},
        {"1,2,3,0.5,0,0,0\n", "no rotation"},
        {"", "no pose in it"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        PalPoses poses;
        error = (PalError){0};
        write_file(wrong[i].text);
        assert_int_equal(pal_poses_read("poses.csv", &poses, &error), PAL_BAD_INPUT);
        if (strstr(error.text, wrong[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", error.text, wrong[i].says);
        pal_poses_clear(&poses);
    }
    for (size_t size = 12; size <= 22; ++size) {  // whether or not the last line is whole
        PalPoses poses;
        error = (PalError){0};  // what stands behind a zero byte is not left out
        write_bytes("1,2,3\n1,2,3\0,1,0,0,0\n", size);
        assert_int_equal(pal_poses_read("poses.csv", &poses, &error), PAL_BAD_INPUT);
        assert_non_null(strstr(error.text, "poses.csv:2:6: a zero byte"));
        pal_poses_clear(&poses);
    }
    PalPoses poses;
    error = (PalError){0};
    write_file("1,2,3\n1,2,4");
    check_ok(pal_poses_read("poses.csv", &poses, &error), &error);
    assert_int_equal(poses.count, 2);
    pal_poses_clear(&poses);
    remove("poses.csv");
}

static void test_mouse_and_script(void **state)
{
    (void)state;
    PalDevice *device;
    PalError error = {0};
    check_ok(pal_device_open(PAL_DEVICE_MOUSE, "0.01", &device, &error), &error);
    pal_device_mouse(device, 100, 50, 1, 1);
    PalDeviceState mouse = pal_device_read(device, 0);
    check_near(mouse.pose.position.x, 1, 1e-12);
    check_near(mouse.pose.position.y, -0.5, 1e-12);
    check_near(mouse.pose.position.z, -0.1, 1e-12);
    pal_device_close(device);
    check_ok(pal_device_open(PAL_DEVICE_SCRIPT, "1,2,3 0,0,-1 2", &device, &error), &error);
    check_near(pal_device_read(device, 1).pose.position.z, 2, 1e-12);
    check_near(pal_device_read(device, 2).pose.position.z, 3, 1e-12);
    pal_device_close(device);
    assert_int_equal(pal_device_open(PAL_DEVICE_SCRIPT, "1,2,3", &device, &error), PAL_BAD_INPUT);
    assert_int_equal(pal_device_open(PAL_DEVICE_MOUSE, "0", &device, &error), PAL_BAD_INPUT);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_packets_come_back), cmocka_unit_test(test_wrong_packets_change_nothing),
    cmocka_unit_test(test_network),           cmocka_unit_test(test_paths),
    cmocka_unit_test(test_mouse_and_script),
};

CHECK_GROUP(tests, NULL, NULL)
